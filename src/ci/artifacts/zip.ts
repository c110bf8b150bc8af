import { zipLibrary } from '#platform/zip-library.ts'

/** Makes a zip archive of texts by their paths. */
export async function zipOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const { TextReader, Uint8ArrayWriter, ZipWriter } = await zipLibrary()
  const zip = new ZipWriter(new Uint8ArrayWriter())
  for (const [path, text] of Object.entries(files)) await zip.add(path, new TextReader(text))
  return zip.close()
}
