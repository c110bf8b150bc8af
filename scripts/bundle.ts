import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown'
import { root } from './built.js'

const sources = join(root, 'src')

/** What others start or import; each is a file of this name in the bundle. */
const entries = {
  main: 'src/main.ts',
  testing: 'src/testing.ts',
  // A process of its own: see src/platform/processes/starter.ts.
  'starter-process': 'src/platform/processes/starter-process.ts',
  // Another one: see src/code/git-ssh/start-ssh.ts.
  'ssh-door-process': 'src/code/git-ssh/door/ssh-door-process.ts',
  // And another: see src/ci/config/reader/readers.ts.
  'reader-process': 'src/ci/config/reader/reader-process.ts',
}

/** How the names of files end that browsers run. They are in a folder of their own in the bundle, with what they import. */
const ISLAND = '.island.ts'

/** Stay packages, because they hold or look for native code, or large tables that are read late. */
const packages = [/^sharp$/, /^ssh2$/, /^@node-rs\//, /^linguist-languages$/]

/**
 * Writes the program into a folder as a few JavaScript files with source maps, and the data files that it reads beside
 * them, among them the description of its API: all of them in one folder, so that a module finds its data where it does among the sources.
 * @param external what is left to be imported from packages, besides native code
 */
export async function bundle(folder: string, external: readonly RegExp[] = []): Promise<void> {
  await using program = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: [...packages, ...external],
    preserveEntrySignatures: 'strict',
  })
  await program.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    plugins: [{ name: 'latin', generateBundle: (_, files) => Object.values(files).forEach(toLatin) }],
  })
  await bundleIslands(folder)
  copyData(folder)
  // Not before it is needed: what follows `npm pack` finds nothing by the names of the tree.
  const { apiAsText } = await import('./describe-api.ts')
  writeFileSync(join(folder, 'openapi.json'), await apiAsText())
}

async function bundleIslands(folder: string): Promise<void> {
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(ISLAND),
  )
  await using scripts = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [basename(name, ISLAND), join(sources, name)])),
    platform: 'browser',
  })
  await scripts.write({
    dir: join(folder, 'islands'),
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    // What a script loads when it is asked to: languages of the editor.
    chunkFileNames: '[name]-[hash].js',
  })
}

/**
 * Writes the few letters beyond Latin-1 as escapes. With one of them, Node.js would keep all of a file at two bytes for each
 * letter, and take longer to read it. They stand in texts and patterns, where an escape means the same.
 */
function toLatin(file: OutputChunk | OutputAsset): void {
  if (file.type !== 'chunk') return
  file.code = file.code.replace(
    /[^\0-\xff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Files that are no TypeScript are data that the program reads; `migrations` are read as a folder. */
function copyData(folder: string): void {
  const data = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
  for (const file of data) {
    const parent = basename(join(file, '..'))
    const target = join(folder, ...(parent === 'migrations' ? [parent] : []), basename(file))
    if (existsSync(target))
      throw new Error(`${relative(root, file)} has the name of another file of the bundle`)
    cpSync(file, target)
  }
}
