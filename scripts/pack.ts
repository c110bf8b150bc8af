// What `npm pack` and `npm publish` run before (`prepare`) and after (`restore`). The published package holds
// the bundle and type declarations, since Node strips no types below node_modules, and leaves out the pinned Node.
// Meanwhile package.json is the published one; the tree's waits in package.json.orig. When packing fails
// half-way, `npm run postpack` puts it back.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { OLDEST_NODE } from './assert-node.js'
import { bundle } from './bundle.ts'
import { root } from './built.js'

const manifest = join(root, 'package.json')
const original = join(root, 'package.json.orig')

const PUBLISHED_BIN = 'dist/forgelet.js'

/** What looks at the version of Node.js before it loads the bundle. */
const ENTRIES = {
  'assert-node.js': 'assert-node.js',
  'published-command.js': 'forgelet.js',
  'published-testing.js': 'start-testing.js',
}

interface Manifest {
  [name: string]: unknown
  bin: Record<string, string>
  dependencies: Record<string, string>
  imports: Record<string, string>
  optionalDependencies: Record<string, string>
}

async function prepare(): Promise<void> {
  restore()
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  nameSettings(dist)
  // Whoever installs it chooses what its dependencies are, with npm.
  await bundle(
    dist,
    Object.keys(read(manifest).dependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
  )
  for (const [script, name] of Object.entries(ENTRIES))
    cpSync(join(root, 'scripts', script), join(dist, name))
  renameSync(manifest, original)
  writeFileSync(manifest, `${JSON.stringify(published(read(original)), null, 2)}\n`)
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

/** The manifest as others install it. */
function published(tree: Manifest): Manifest {
  const { devDependencies: _, ...kept } = tree
  const { '#test/*.ts': __, ...imports } = tree.imports
  return {
    ...kept,
    bin: { forgelet: PUBLISHED_BIN },
    exports: {
      './testing': { types: './dist/testing.d.ts', default: './dist/start-testing.js' },
      './package.json': './package.json',
    },
    imports: { ...imports, '#*.ts': './dist/*.js' },
    scripts: { postpack: 'node scripts/pack.ts restore' }, // npm reads it after packing, from here
    optionalDependencies: Object.fromEntries(
      Object.entries(tree.optionalDependencies).filter(([name]) => !name.startsWith('node-')),
    ),
    engines: { node: `>=${OLDEST_NODE}` },
  }
}

/** Only while package.json is the published one: an edited one is never replaced. */
function restore(): void {
  if (existsSync(original) && read(manifest).bin['forgelet'] === PUBLISHED_BIN) {
    renameSync(original, manifest)
  }
}

function read(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

if (process.argv[2] === 'prepare') await prepare()
else restore()
