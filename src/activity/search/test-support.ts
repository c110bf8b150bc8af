import type { Answer, Client } from '#test/client.ts'

/** Searches below a path: `''` for the instance. */
export const searchFor = (
  by: Client,
  at: string,
  scope: string,
  search: string,
  more = '',
): Promise<Answer> => by.get(`${at}/search?scope=${scope}&search=${encodeURIComponent(search)}${more}`)

/** The titles, names or paths of what was found. */
export const namesOf = ({ body }: Answer): string[] =>
  body.map(
    (one: Record<string, string>) => one.title ?? one.path ?? one.username ?? one.name ?? one.body ?? one.id,
  )

/** A word that nothing else has. */
export const rareWord = (): string => `w${crypto.randomUUID().replaceAll('-', '')}`
