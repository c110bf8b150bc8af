import { type Api, path } from '../frame/api.ts'

/** Bytes of a file that a form holds. */
const MOST_BYTES = 512 * 1024

/** The text of a file of a snippet; undefined for what a form would not send back as it is. @param address of the snippet in the API */
export async function changeableFile(api: Api, address: string, file: string): Promise<string | undefined> {
  const raw = address + path`/files/HEAD/${file}/raw`
  const head = await api.findHead(raw)
  if (head === undefined || Number(head.get('content-length') ?? 0) > MOST_BYTES) return undefined
  const text = await api.findText(raw)
  // What is no text has characters that stand for what could not be read.
  return text === undefined || /[\0\r\uFFFD]/.test(text) ? undefined : text
}
