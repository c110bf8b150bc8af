import { expect } from 'vitest'
import { mails } from '#test/smtp.ts'
import { w } from '#test/mail-world.ts'

/** The path that the link in the last mail to an address leads to. */
export async function linkTo(address: string, path: string): Promise<string> {
  const { text = '' } = await mails.readMail(address)
  const url = text.split('\n').find((line) => line.includes(path)) ?? ''
  expect(url).toMatch(new RegExp(`^${w.url}${path}`))
  return url.slice(w.url.length)
}

/** The secret in a link. */
export const tokenIn = (link: string) => link.slice(link.indexOf('=') + 1)
