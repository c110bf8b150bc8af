/** Digests that clients upload and ask for beside each file. */
export const checksums = ['md5', 'sha1', 'sha256', 'sha512'] as const
export type Checksum = (typeof checksums)[number]

/** A file of a Maven repository. */
export interface MavenFile {
  /** The coordinates as folders: `com/example/app`. */
  readonly name: string
  /** Null for what is about all versions. */
  readonly version: string | null
  readonly fileName: string
  /** Where not the file itself is meant. */
  readonly checksum: Checksum | undefined
}

/** The list of versions, or of the builds of a snapshot. */
const METADATA = 'maven-metadata.xml'
const SEGMENT = /^[\w.+-]+$/

const isPlain = (segment: string): boolean =>
  SEGMENT.test(segment) && segment !== '.' && !segment.includes('..')

/** Whether clients upload a file anew with each version or build. */
export const isMetadata = ({ fileName }: Pick<MavenFile, 'fileName'>): boolean => fileName === METADATA

/** What a path names; undefined for what can be none. @param folders `com/example/app/1.0` */
export function mavenFileOf(folders: string, file: string): MavenFile | undefined {
  const segments = folders.split('/')
  if (![...segments, file].every(isPlain) || file.length > 255) return undefined
  const checksum = checksums.find((one) => file.endsWith(`.${one}`))
  const fileName = checksum === undefined ? file : file.slice(0, -checksum.length - 1)
  if (fileName === '') return undefined
  const last = segments.at(-1) ?? ''
  const isOfAll = isMetadata({ fileName }) && !last.endsWith('-SNAPSHOT')
  const name = (isOfAll ? segments : segments.slice(0, -1)).join('/')
  if (name === '' || name.length > 255 || last.length > 255) return undefined
  return { name, version: isOfAll ? null : last, fileName, checksum }
}

/** What comes before the folders of a file. */
const BEFORE = /^\/api\/v4\/(?:projects\/[^/?]+\/|groups\/[^/?]+\/-\/)?packages\/maven\/(?=[^?]*\/)/

/** The folders of a file as one segment, as routes want it: clients send their slashes as they are. */
export function mavenUrl(url: string): string {
  const before = BEFORE.exec(url)?.[0]
  if (before === undefined) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const last = path.lastIndexOf('/')
  return before + path.slice(before.length, last).replaceAll('/', '%2F') + url.slice(last)
}
