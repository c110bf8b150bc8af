import { badRequest, invalid } from '#platform/refusals.ts'
import { normalizedVersion } from './versions.ts'

/** A name of PEP 508. */
const NAME = /^(?:[a-z\d]|[a-z\d][a-z\d._-]*[a-z\d])$/i
const FILE = /^[a-z\d][\w.+!-]*$/i
const SOURCES = ['.tar.gz', '.zip', '.tar.bz2', '.tar.xz', '.tgz'] as const
const DIGESTS = { sha256_digest: 64, md5_digest: 32 } as const

/** A name of which several spellings are one (PEP 503). */
export const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')

/** A file of a version of a package, as its names say. */
export interface Distribution {
  readonly name: string
  readonly version: string
  readonly fileName: string
}

/**
 * What somebody publishes, in its usual spelling.
 * @throws 400 for names and versions that cannot be, and for a file that has other ones in its name
 */
export function distributionOf(fields: Readonly<Record<string, string>>, fileName: string): Distribution {
  const { name: given, version: said } = fields
  if (given === undefined) throw badRequest('name is missing')
  if (said === undefined) throw badRequest('version is missing')
  const version = normalizedVersion(said)
  if (given.length > 255 || !NAME.test(given)) throw invalid({ name: ['is invalid'] })
  if (version === undefined) throw invalid({ version: ['is invalid'] })
  const name = normalizedName(given)
  if (!FILE.test(fileName) || fileName.includes('..') || !isFileOf(fileName, name, version))
    throw invalid({
      content: ['should be a wheel or source archive that is named after its package and version'],
    })
  return { name, version, fileName }
}

function isFileOf(fileName: string, name: string, version: string): boolean {
  const isThis = (itsName = '', itsVersion = '') =>
    normalizedName(itsName) === name && normalizedVersion(itsVersion) === version
  if (fileName.endsWith('.whl')) {
    const parts = fileName.slice(0, -'.whl'.length).split('-')
    const [itsName, itsVersion] = parts
    return (parts.length === 5 || parts.length === 6) && isThis(itsName, itsVersion?.replaceAll('_', '-'))
  }
  const ending = SOURCES.find((one) => fileName.endsWith(one))
  if (ending === undefined) return false
  const stem = fileName.slice(0, -ending.length)
  // Both may have hyphens.
  return [...stem.matchAll(/-/g)].some(({ index }) => isThis(stem.slice(0, index), stem.slice(index + 1)))
}

/** @throws 400 for a digest that the bytes do not have */
export function assertDigests(
  fields: Readonly<Record<string, string>>,
  { sha256, md5 }: { readonly sha256: Buffer; readonly md5: Buffer },
): void {
  const real = { sha256_digest: sha256, md5_digest: md5 }
  for (const name of ['sha256_digest', 'md5_digest'] as const) {
    const said = fields[name]?.toLowerCase()
    if (said === undefined || said === '') continue
    if (said.length !== DIGESTS[name] || said !== real[name].toString('hex'))
      throw invalid({ [name]: ['is not that of the bytes that came'] })
  }
}

/** What Python a package needs, as it says itself. @throws 400 for what is no such condition */
export function requiredPython({
  requires_python: said = '',
}: Readonly<Record<string, string>>): string | undefined {
  if (said === '') return undefined
  if (said.length > 255 || !/^(?:\s*(?:[~=!]=|===|[<>]=?)\s*[\w.*+!-]+\s*(?:,|$))+$/.test(said))
    throw invalid({ requires_python: ['is invalid'] })
  return said
}
