// What the published package has besides declarations of types: see pack.ts.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OLDEST_NODE } from './assert-node.js'
import { root } from './built.js'
import { bundle } from './bundle.ts'

export const PUBLISHED_BIN = 'dist/forgelet.js'

/** What looks at the version of Node.js before it loads the bundle. */
const ENTRIES = {
  'assert-node.js': 'assert-node.js',
  'published-command.js': 'forgelet.js',
  'published-testing.js': 'start-testing.js',
}

export interface Manifest {
  [name: string]: unknown
  bin: Record<string, string>
  dependencies: Record<string, string>
  imports: Record<string, string>
  optionalDependencies: Record<string, string>
}

/** The manifest of the tree, or the one in a file. */
export function readManifest(path = join(root, 'package.json')): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

/** The manifest as others install it. */
export function published(tree: Manifest): Manifest {
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

/** Writes the program into a folder as the package has it: whoever installs it chooses its dependencies, with npm. */
export async function bundlePublished(dist: string): Promise<void> {
  const external = Object.keys(readManifest().dependencies).map((name) => new RegExp(`^${name}(?:/|$)`))
  await bundle(dist, external)
  for (const [script, name] of Object.entries(ENTRIES))
    cpSync(join(root, 'scripts', script), join(dist, name))
}
