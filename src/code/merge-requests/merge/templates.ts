/** Somebody as messages name them. */
export interface Person {
  readonly name: string
  readonly email: string
}

/** The longest message that a template may grow to. */
const MAX_MESSAGE = 100_000

export const signed = ({ name, email }: Person): string => `${name} <${email}>`

export const trailers = (name: string, people: readonly Person[]): string =>
  people.map((person) => `${name}: ${signed(person)}`).join('\n')

/**
 * The message that a template gives. A line on which nothing but empty variables stand is left out.
 * @param valueOf the value of a variable; undefined for one that is none, which stays as it is written
 */
export function filled(template: string, valueOf: (name: string) => string | undefined): string {
  const lines = template.split('\n').flatMap((line) => {
    let hasVariable = false
    const written = line.replace(/%\{(\w+)\}/g, (whole, name: string) => {
      const value = valueOf(name)
      if (value === undefined) return whole
      hasVariable = true
      return value
    })
    return hasVariable && written.trim() === '' ? [] : [written]
  })
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, MAX_MESSAGE)
}
