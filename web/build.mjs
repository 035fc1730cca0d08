// Builds dist/ from src/: the script of the workbench with the parts that it loads when
// they are opened, a script for the pages of signing in, one style, one font, and the page
// that names what it begins with by the hashes of their contents. The same sources give
// the same bytes.
//
//   node build.mjs [FOLDER]      default dist
import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const into = process.argv[2] ?? join(here, 'dist')

/** What the workbench begins with may not weigh more, compressed, nor all that it loads when a screen is opened. */
const most = { workbench: 60 * 1024, later: 40 * 1024 }

const named = (name, bytes) => {
  const [stem, ext] = name.split('.')
  return `${stem}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${ext}`
}

const bundle = async (entries, options) =>
  await build({
    entryPoints: entries.map((e) => join(here, e)),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    absWorkingDir: here,
    outdir: 'out',
    external: ['*.woff2'],
    ...options,
  })

await rm(into, { recursive: true, force: true })
await mkdir(join(into, 'assets'), { recursive: true })
const put = async (name, bytes) => {
  await writeFile(join(into, 'assets', name), bytes)
  return name
}
const fontBytes = await readFile(join(here, 'src/inter.woff2'))
const font = await put(named('inter.woff2', fontBytes), fontBytes)
const style = (await bundle(['src/style.css'])).outputFiles[0].text.replaceAll('inter.woff2', font)
const formsScript = (await bundle(['src/forms.ts'])).outputFiles[0].text
await put(named('forms.js', formsScript), formsScript)

// What two parts need becomes a part of its own: the page names what the first one begins with.
const parts = await bundle(['src/main.ts'], {
  splitting: true,
  entryNames: 'app-[hash]',
  chunkNames: 'part-[hash]',
})
const texts = new Map(parts.outputFiles.map((f) => [basename(f.path), f.text]))
for (const [name, text] of texts) await put(name, text)
const uses = (name) =>
  parts.metafile.outputs['out/' + name].imports
    .filter((i) => i.kind === 'import-statement')
    .map((i) => basename(i.path))
const script = [...texts.keys()].find((name) => name.startsWith('app-'))
const begin = [script, ...uses(script)]
const later = [...texts.keys()].filter((name) => !begin.includes(name))

const iconBytes = await readFile(join(here, 'src/icon.svg'))
const files = {
  icon: await put(named('icon.svg', iconBytes), iconBytes),
  style: await put(named('style.css', style), style),
  script,
  font,
}
const page = (await readFile(join(here, 'src/index.html'), 'utf8'))
  .replace(
    '{parts}',
    uses(script)
      .map((name) => `<link rel="modulepreload" href="/assets/${name}">`)
      .join('\n'),
  )
  .replace(/\{(\w+)\}/g, (_, k) => `/assets/${files[k]}`)
await writeFile(join(into, 'index.html'), page)

const weight = (text) => gzipSync(text, { level: 9 }).length
const sum = (list) => list.reduce((a, b) => a + b, 0)
const scripts = sum(begin.map((name) => weight(texts.get(name))))
const total = weight(page) + scripts + weight(style)
const opened = sum(later.map((name) => weight(texts.get(name))))
console.log(
  `compressed: page ${weight(page)}, script ${scripts}, style ${weight(style)}, together ${total} of ${most.workbench} bytes; of screens opened later ${opened} of ${most.later}, of signing in ${weight(formsScript)}`,
)
if (total > most.workbench || opened > most.later) {
  console.error('the page has become too heavy')
  process.exit(1)
}
