/** What reads and writes zip archives. It is loaded late, because few processes ever need it. */
export async function zipLibrary() {
  const library = await import('@zip.js/zip.js')
  library.configure({ useWebWorkers: false })
  return library
}
