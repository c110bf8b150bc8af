import sharp from 'sharp'
import { deflateSync } from 'node:zlib'
import { crc32 } from 'node:zlib'
import type { Client } from '#test/client.ts'

/** A picture of one colour. */
export const picture = (width = 32, height = width, background = '#d9534f') =>
  sharp({ create: { width, height, channels: 3, background } })

export const png = (width?: number, height?: number, background?: string): Promise<Buffer> =>
  picture(width, height, background).png().toBuffer()

/** A multipart body with a file, and texts beside it. */
export function formWith(
  data: Uint8Array,
  { filename = 'me.png', type = 'image/png', ...texts }: Readonly<Record<string, string>> = {},
): FormData {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.append(name, text)
  form.append('avatar', new Blob([Uint8Array.from(data)], { type }), filename)
  return form
}

/** An answer with its bytes, from a whole URL. */
export async function fetched(
  by: Pick<Client, 'headers'>,
  url: string,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(url, { headers: { ...by.headers, ...headers } })
  return { status: answer.status, headers: answer.headers, data: Buffer.from(await answer.arrayBuffer()) }
}

/** A PNG made of chunks by hand, whatever they hold. */
export function pngOf(chunks: readonly (readonly [name: string, data: Buffer])[]): Buffer {
  const parts = chunks.map(([name, data]) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  })
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

/** What a PNG of these sides says first: gray, one byte each pixel. */
export function ihdr(width: number, height: number): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data[8] = 8
  return data
}

/** A black picture of these sides, packed as tightly as it goes. */
export const black = (width: number, height: number): Buffer =>
  pngOf([
    ['IHDR', ihdr(width, height)],
    ['IDAT', deflateSync(Buffer.alloc((width + 1) * height), { level: 9 })],
    ['IEND', Buffer.alloc(0)],
  ])
