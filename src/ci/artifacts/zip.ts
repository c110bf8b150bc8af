/** Makes a zip archive of texts by their paths. */
export async function zipOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const { configure, TextReader, Uint8ArrayWriter, ZipWriter } = await import('@zip.js/zip.js')
  configure({ useWebWorkers: false })
  const zip = new ZipWriter(new Uint8ArrayWriter())
  for (const [path, text] of Object.entries(files)) await zip.add(path, new TextReader(text))
  return zip.close()
}
