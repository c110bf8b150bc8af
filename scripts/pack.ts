// What `npm pack` and `npm publish` run before (`prepare`) and after (`restore`). The published package holds
// the bundle and type declarations, since Node strips no types below node_modules, and leaves out the pinned Node.
// Meanwhile package.json is the published one; the tree's waits in package.json.orig. When packing fails
// half-way, `npm run postpack` puts it back.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { root } from './built.js'
import { bundlePublished, published, PUBLISHED_BIN, readManifest } from './published.ts'

const manifest = join(root, 'package.json')
const original = join(root, 'package.json.orig')

async function prepare(): Promise<void> {
  restore()
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  nameSettings(dist)
  await bundlePublished(dist)
  renameSync(manifest, original)
  writeFileSync(manifest, `${JSON.stringify(published(readManifest(original)), null, 2)}\n`)
}

/**
 * Makes the declarations of `forgelet/testing` import every feature's settings. Features add theirs to one type, but a
 * declaration imports only what it mentions, so the compiler would find none of these files.
 */
function nameSettings(dist: string): void {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('settings.d.ts'))
    .filter((file) => readFileSync(join(dist, file), 'utf8').includes('interface Settings extends'))
    .map((file) => `import './${file.replaceAll('\\', '/').replace(/\.d\.ts$/, '.js')}'\n`)
    .toSorted()
  appendFileSync(join(dist, 'testing.d.ts'), files.join(''))
}

/** Only while package.json is the published one: an edited one is never replaced. */
function restore(): void {
  if (existsSync(original) && readManifest(manifest).bin['forgelet'] === PUBLISHED_BIN) {
    renameSync(original, manifest)
  }
}

if (process.argv[2] === 'prepare') await prepare()
else restore()
