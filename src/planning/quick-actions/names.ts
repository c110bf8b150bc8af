import type { NamedReference, NumberedReference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'

/**
 * The people in `@alice, @bob and me`, each once, in lower case.
 * @param me the username of the writer.
 */
export function peopleIn(args: string, me: string): string[] {
  const words = args.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and')
  // Writers may escape underscores, so that Markdown does not take them for emphasis.
  const names = words.map((word) => (word === 'me' ? me : word.replaceAll('\\_', '_').replace(/^@/, '')))
  return unique(names.map((name) => name.toLowerCase()))
}

/** The labels in `~bug, "to do" urgent` as references: `~bug`, `~"to do"`, `~"urgent"`, each once. */
export function labelsIn(args: string): string[] {
  const words = args.match(/~?"[^"]*"|[^\s,]+/g) ?? []
  return unique(words.map((word) => (word.startsWith('~') ? word : `~${quoted(word)}`)))
}

/** The milestone in `%1`, `%"next release"` or `next release` as a reference; empty when nothing is named. */
export function milestoneIn(args: string): string[] {
  if (args === '') return []
  return [args.startsWith('%') ? args : `%${quoted(args)}`]
}

/** The epic in `&12` or `group&12`; empty when nothing is named. */
export const epicIn = (args: string): string[] => (args === '' ? [] : [args])

/** The issues in `#12, group/project#13`, each once. */
export const issuesIn = (args: string): string[] =>
  unique(args.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and'))

/** The project in `group/project`, whatever options follow; empty when nothing is named. */
export const projectIn = (args: string): string[] =>
  args
    .split(/\s+/)
    .filter((word) => word !== '' && !word.startsWith('--'))
    .slice(0, 1)

/** The names in the arguments of actions, by their kind. */
export const readNames = {
  people: peopleIn,
  labels: labelsIn,
  milestone: milestoneIn,
  epic: epicIn,
  issues: issuesIn,
  project: projectIn,
} as const satisfies Record<string, (args: string, me: string) => string[]>

const quoted = (word: string) => (word.startsWith('"') ? word : `"${word}"`)
const unique = (words: readonly string[]) => [...new Set(words)]

/** A reference to something in this container, when the text is nothing but that. */
export function readReference(written: string): NamedReference | undefined {
  const [found] = written.length > MAX_WRITTEN ? [] : parseReferences(written, '')
  if (found === undefined || !('name' in found) || found.container !== null) return undefined
  return found.end - found.start === written.length ? found : undefined
}

/** A reference to an epic or an issue, when the text is nothing but that. */
export function readNumbered(written: string, kind: 'epic' | 'issue'): NumberedReference | undefined {
  const [found] = parseReferences(written, '')
  if (found?.kind !== kind) return undefined
  return found.end - found.start === written.length ? found : undefined
}

/** The most people, labels and milestones to look up for one note. */
export const MAX_NAMES = 100

/** A sign, and a name of 255 characters in quotes. */
const MAX_WRITTEN = 258

/** How people see a label's name: `~bug`, `~"to do"`. */
export const labelReference = (name: string) => `~${quotedIfNeeded(name)}`
export const milestoneReference = (title: string) => `%${quotedIfNeeded(title)}`
export const userReference = (username: string) => `@${shortened(username)}`

const quotedIfNeeded = (name: string) => (/^[\p{L}\p{N}_:-]+$/u.test(name) ? name : `"${name}"`)

const LONG = 100

/** Shortens a text for quoting in a sentence. */
export function shortened(written: string): string {
  return written.length <= LONG ? written : `${written.slice(0, LONG).toWellFormed().trimEnd()}…`
}

/** `@alice, @bob, and @carol`. The first format of a process costs 10 ms, so it is made on demand. */
export const listed = (all: readonly string[]) => new Intl.ListFormat('en').format(all.map(shortened))
