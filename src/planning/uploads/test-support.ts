import { expect } from 'vitest'
import type { Client } from '#test/client.ts'

/** The smallest picture: a dot. */
export const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export function fileForm(content: Uint8Array | string, filename: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), filename)
  return form
}

export interface Uploaded {
  readonly id: number
  readonly alt: string
  readonly url: string
  readonly full_path: string
  readonly markdown: string
}

/** Uploads a file. @param place the path of its project or group in the API */
export async function uploaded(
  by: Client,
  place: string,
  content: Uint8Array | string = DOT,
  filename = 'dot.png',
): Promise<Uploaded> {
  const { status, body } = await by.send('POST', `${place}/uploads`, { form: fileForm(content, filename) })
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}

/** What a text has of an upload's address: the secret. */
export const secretOf = ({ url }: Pick<Uploaded, 'url'>): string => url.split('/')[2] ?? ''
