import { expect } from 'vitest'
import { csrfTokenIn, type Shown, type Visitor } from '#test/visitor.ts'

/** What a page says to everybody: only where the visitor goes on after signing in differs. */
export const saidIn = ({ text }: Shown): string => text.replace(/return_to=[^"]*/, '')

/** What browsers say that they show. */
export const HERE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** What the forms of a page do. */
export const formsIn = (text: string): readonly string[] =>
  [...text.matchAll(/name="do" value="([^"]*)"/g)].map(([, does = '']) => does)

/** Sends a form of a page as a browser does, with these fields filled in, and without the others. */
export async function submit(
  visitor: Visitor,
  page: string,
  does: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  const { text } = await visitor.get(page, HERE)
  expect(formsIn(text)).toContain(does)
  return visitor.post(page, { authenticity_token: csrfTokenIn(text), do: does, ...fields }, HERE)
}
