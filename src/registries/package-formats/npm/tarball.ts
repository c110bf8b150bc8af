import { Readable, Transform } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Files } from '#platform/files/files.ts'
import { badRequest, Refusal } from '#platform/refusals.ts'
import type { StoredPackageFile } from '../../packages/store-package-file.ts'

/** Bytes of a package that are unpacked at most to find its `package.json`, and of that file. */
const MOST_UNPACKED = 256 * 1024 * 1024
const MOST_JSON = 1024 * 1024
/** Files before it. */
const MOST_FILES = 10_000

/**
 * Checks that a package is what its document says, so that nobody installs another one than they read about.
 * @throws 400 for a file that is no package, is much larger unpacked, or has another name or version in its `package.json`
 */
export async function assertIsPackage(
  files: Files,
  { fileId }: StoredPackageFile,
  expected: { readonly name: string; readonly version: string },
): Promise<void> {
  const file = await files.find(fileId)
  const bytes = file && (await files.read(file))
  if (bytes === undefined) throw badRequest('the package is gone: publish it again')
  const found = await packageJsonIn(bytes)
  const { name, version } = found
  // Build metadata is no part of what npm calls the version.
  if (name !== expected.name || withoutBuild(version) !== withoutBuild(expected.version))
    throw badRequest(
      `the package.json of the package is about ${shown(name)} ${shown(version)}, its document about ${expected.name} ${expected.version}`,
    )
}

const shown = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 300) : 'nothing')
const withoutBuild = (version: unknown): unknown =>
  typeof version === 'string' ? version.replace(/^[v=\s]+/, '').split('+')[0] : version

async function packageJsonIn(archive: Readable): Promise<PackageJson> {
  const { createTarDecoder } = await import('modern-tar')
  const unpacked = archive.pipe(createGunzip())
  const bounded = unpacked.pipe(bounds())
  archive.once('error', (error) => unpacked.destroy(error))
  unpacked.once('error', (error) => bounded.destroy(error))
  let count = 0
  try {
    const entries = Readable.toWeb(bounded).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of entries) {
      // The first folder may have any name.
      if (/^[^/]+\/package\.json$/.test(header.name)) return readPackageJson(header.size, body)
      if ((count += 1) >= MOST_FILES)
        throw badRequest(`the package has ${MOST_FILES} files before its package.json`)
      for await (const _ of body);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : badRequest('the attachment is no package: it cannot be unpacked')
  } finally {
    for (const stream of [archive, unpacked, bounded]) stream.destroy()
  }
  throw badRequest('the package has no package.json')
}

function bounds(): Transform {
  let size = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      size += piece.length
      if (size <= MOST_UNPACKED) done(null, piece)
      else done(badRequest(`the package has ${MOST_UNPACKED / 1024 / 1024} MB before its package.json`))
    },
  })
}

const PackageJson = Type.Object({ name: Type.Unknown(), version: Type.Unknown() })
type PackageJson = Static<typeof PackageJson>

async function readPackageJson(size: number, body: AsyncIterable<Uint8Array>): Promise<PackageJson> {
  if (size > MOST_JSON) throw badRequest('the package.json of the package is too large')
  const text = await readText(Readable.from(body))
  const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  if (!Check(PackageJson, json)) throw badRequest('the package.json of the package has no name and version')
  return json
}
