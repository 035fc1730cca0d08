// Runs the tests of components, each of which lies beside its component, in one process and
// without a browser.
//
//   node test/components.mjs [COMPONENT…]      default all: node test/components.mjs hint grid
import { build, stop } from 'esbuild'
import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = join(dirname(fileURLToPath(import.meta.url)), '..')
const only = process.argv.slice(2)
const tests = (await readdir(join(web, 'src')))
  .filter((name) => /\.test\.jsx?$/.test(name))
  .filter((name) => only.length === 0 || only.includes(name.split('.')[0]))
  .sort()
const made = join(web, 'node_modules', `.components-${process.pid}.mjs`)
await build({
  stdin: {
    contents: ['../test/dom.mjs', ...tests.map((name) => './' + name)]
      .map((path) => `import '${path}'\n`)
      .join(''),
    resolveDir: join(web, 'src'),
  },
  outfile: made,
  bundle: true,
  format: 'esm',
  platform: 'node',
  external: ['happy-dom'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  sourcemap: 'inline',
  absWorkingDir: web,
})
await stop()
process.on('exit', () => rmSync(made))
await import(made)
