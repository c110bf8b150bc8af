/** Where a text is that is a file of a repository: addresses in it are relative to that, or begin at the root. */
export interface FilePlace {
  /** What addresses of pages of files begin with: `/group/project/-/blob/main/`. */
  readonly pages: string
  /** The same of files as they are, for images. */
  readonly raw: string
  /** The path of the folder that the file is in; blank for the root. */
  readonly folder: string
}

/** Addresses that say where they lead: with a scheme, a host, or only a place in the same text. */
const WHOLE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|$)/i

/** The address of a file that a text names as other files do. @param before what addresses begin with */
export function fileAddress(address: string, before: string, { folder }: FilePlace): string {
  if (WHOLE.test(address)) return address
  const found = URL.parse(address, `http://files/${folder === '' ? '' : `${folder}/`}`)
  return found === null ? address : before + found.pathname.slice(1) + found.search + found.hash
}
