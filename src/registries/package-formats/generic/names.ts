import { invalid } from '#platform/refusals.ts'

/** Names and versions: nothing that a path or a shell reads as more than a name. */
const plain = /^[\w.+-]{1,255}$/
/** A folder or file: the same with `~` and `@`, which it cannot begin with. */
const segment = /^[\w.+-][\w.+~@-]*$/

const isPlain = (name: string): boolean => plain.test(name) && isNoWayUp(name)
const isNoWayUp = (name: string): boolean => name !== '.' && !name.includes('..')

/** @throws 400 for a name, version or file name that a generic package cannot have */
export function assertNames(name: string, version: string, fileName: string): void {
  if (!isPlain(name)) throw invalid({ package_name: ['is invalid'] })
  if (!isPlain(version)) throw invalid({ package_version: ['is invalid'] })
  const parts = fileName.split('/')
  if (fileName.length > 255 || !parts.every((part) => segment.test(part) && isNoWayUp(part)))
    throw invalid({ file_name: ['is invalid'] })
}
