// Builds dist/ from src/: one script, one style, one font, and the page that names
// them by the hashes of their contents. The same sources give the same bytes.
//
//   node build.mjs [FOLDER]      default dist
import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const into = process.argv[2] ?? join(here, 'dist')

/** The page, the script and the style together may not weigh more, compressed. */
const most = 60 * 1024

const named = (name, bytes) => {
  const [stem, ext] = name.split('.')
  return `${stem}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${ext}`
}

async function bundle(entry, loader) {
  const out = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format: 'esm', target: 'es2022',
    jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', charset: 'utf8', absWorkingDir: here, loader,
    external: ['*.woff2'],
  })
  return out.outputFiles[0].text
}

await rm(into, { recursive: true, force: true })
await mkdir(join(into, 'assets'), { recursive: true })
const put = async (name, bytes) => {
  const file = named(name, bytes)
  await writeFile(join(into, 'assets', file), bytes)
  return file
}
const font = await put('inter.woff2', await readFile(join(here, 'src/inter.woff2')))
const style = (await bundle('src/style.css', {})).replaceAll('inter.woff2', font)
const script = await bundle('src/main.tsx', {})
const files = { style: await put('style.css', style), script: await put('app.js', script), font }
const page = (await readFile(join(here, 'src/index.html'), 'utf8')).replace(/\{(\w+)\}/g, (_, k) => `/assets/${files[k]}`)
await writeFile(join(into, 'index.html'), page)

const weight = [page, script, style].map((text) => gzipSync(text, { level: 9 }).length)
const total = weight.reduce((a, b) => a + b)
console.log(`compressed: page ${weight[0]}, script ${weight[1]}, style ${weight[2]}, together ${total} of ${most} bytes`)
if (total > most) {
  console.error('the page has become too heavy')
  process.exit(1)
}
