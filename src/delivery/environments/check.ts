import { invalid } from '#platform/refusals.ts'

const NAME = /^[a-zA-Z0-9_\\${}. -](?:[a-zA-Z0-9_/\\${}. -]*[a-zA-Z0-9_\\${}. -])?$/

/** @throws 400 for a name that is none of an environment */
export function checkName(name: string): string {
  if (NAME.test(name)) return name
  throw invalid({
    name: [
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    ],
  })
}

/** Browsers would run it instead of going there. */
const RUN = /^(?:javascript|data|vbscript)$/

/** Where an environment is. Blank means nowhere. @throws 400 for what is no URL, and for what would run in a browser */
export function checkUrl(given: string | null): string | null {
  const url = given?.trim() ?? ''
  if (url === '') return null
  if (!URL.canParse(url)) throw invalid({ external_url: ['URI is invalid'] })
  const scheme = new URL(url).protocol.slice(0, -1)
  if (RUN.test(scheme)) throw invalid({ external_url: [`${scheme} scheme is not allowed`] })
  return url
}
