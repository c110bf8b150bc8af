import { extname } from 'node:path'

/** Pictures that browsers show and that hold no program. */
const PICTURES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}
const OTHERS: Readonly<Record<string, string>> = {
  '.txt': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.svg': 'image/svg+xml',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
}

/** How a file is sent, by the extension of its name: nobody looks into it. All but harmless pictures are saved, not shown. */
export function sendingOf(filename: string): { readonly mediaType: string; readonly inline: boolean } {
  const extension = extname(filename).toLowerCase()
  const picture = PICTURES[extension]
  if (picture !== undefined) return { mediaType: picture, inline: true }
  return { mediaType: OTHERS[extension] ?? 'application/octet-stream', inline: false }
}
