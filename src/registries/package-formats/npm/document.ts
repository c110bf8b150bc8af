import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { badRequest, invalid } from '#platform/refusals.ts'
import type { Json } from '#platform/db/schema.ts'
import { entriesOf } from '#platform/sequences.ts'

const Texts = Type.Record(Type.String(), Type.String())

const Manifest = Type.Object({
  name: Type.String(),
  version: Type.String(),
  deprecated: Type.Optional(Type.Union([Type.String(), Type.Boolean()])),
  dist: Type.Optional(
    Type.Object({
      shasum: Type.Optional(Type.String()),
      integrity: Type.Optional(Type.String()),
      fileCount: Type.Optional(Type.Number()),
      unpackedSize: Type.Optional(Type.Number()),
    }),
  ),
})

const Publication = Type.Object({
  name: Type.String(),
  'dist-tags': Type.Optional(Texts),
  versions: Type.Record(Type.String(), Manifest),
})

/** What npm says of one version. */
export type Manifest = Static<typeof Manifest>

/** The document that npm sends to publish a version, or to deprecate some. */
export type Publication = Static<typeof Publication>

/** Versions, and tags, of one document. */
const MOST_ENTRIES = 10_000

/** @throws 400 for another document, and for one about another package */
export function readPublication(document: unknown, name: string): Publication {
  for (const key of ['versions', 'dist-tags'] as const)
    if (isRecord(document) && entriesOf(document[key]) > MOST_ENTRIES)
      throw invalid({ [key]: [`can be at most ${MOST_ENTRIES}`] })
  if (!Check(Publication, document)) throw badRequest('the document has no name and versions of a package')
  if (document.name !== name) throw invalid({ name: ['is not that of the URL'] })
  for (const [version, manifest] of Object.entries(document.versions))
    if (manifest.name !== name || manifest.version !== version)
      throw invalid({ versions: [`${version} is not about the package`] })
  return document
}

/** Of a manifest, what clients and people ask for. The rest stays in the package itself. */
const KEPT: ReadonlySet<string> = new Set([
  'name',
  'version',
  'description',
  'keywords',
  'homepage',
  'bugs',
  'license',
  'author',
  'repository',
  'funding',
  'type',
  'main',
  'exports',
  'types',
  'bin',
  'directories',
  'dependencies',
  'acceptDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'engines',
  'os',
  'cpu',
  'libc',
  'deprecated',
  'hasInstallScript',
  '_hasShrinkwrap',
])

/** Bytes of what is kept. */
const MOST_BYTES = 64 * 1024

/**
 * What is kept of a manifest.
 * @param dist what is known of the file itself
 * @throws 400 when it is too large
 */
export function keptManifest(manifest: Manifest, dist: Readonly<Record<string, string | number>>): Json {
  const kept: Record<string, unknown> = Object.fromEntries(
    Object.entries(manifest).filter(([key]) => KEPT.has(key)),
  )
  // npm finds out by the scripts, which are not kept.
  const scripts: unknown = 'scripts' in manifest ? manifest.scripts : undefined
  if (isRecord(scripts) && ['preinstall', 'install', 'postinstall'].some((name) => name in scripts))
    kept['hasInstallScript'] = true
  const text = JSON.stringify({ ...kept, dist })
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw invalid({ versions: [`the manifest is larger than ${MOST_BYTES / 1024} KiB`] })
  const json: Json = JSON.parse(text)
  return json
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
