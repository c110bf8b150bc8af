import type { Static } from 'typebox'
import type { Snippet } from '#code/snippets/entity.ts'
import { html } from '#platform/http/html.ts'
import type { Action } from '../frame/action.ts'
import type { Field } from '../frame/fields.ts'

const visibilities = [
  { value: 'private', label: 'Private' },
  { value: 'internal', label: 'Internal' },
  { value: 'public', label: 'Public' },
]

/** What a snippet says of itself. */
export const wordFields = (snippet: Partial<Static<typeof Snippet>>): readonly Field[] => [
  { name: 'title', label: 'Title', value: snippet.title, required: true },
  {
    name: 'description',
    label: 'Description',
    is: 'markup',
    hint: 'Markdown.',
    value: snippet.description,
  },
  {
    name: 'visibility',
    label: 'Visibility',
    is: 'choice',
    options: visibilities,
    value: snippet.visibility ?? 'private',
  },
]

/** A file of a snippet. @param number of the file in the form; undefined where there is one */
export const fileFields = (path: string, content: string, number = 1): readonly Field[] => [
  {
    name: `file_path_${number}`,
    label: number === 1 ? 'Name of the file' : `Name of file ${number}`,
    value: path,
    required: number === 1,
    hint: number === 1 ? 'Its ending says which language it is: door.ts.' : 'Blank if there is no such file.',
  },
  {
    name: `content_${number}`,
    label: number === 1 ? 'Content' : `Content of file ${number}`,
    is: 'lines',
    value: content,
    attributes: html`class="source${number === 1 ? '' : ' short'}" rows="${number === 1 ? 20 : 4}" wrap="off"
    data-code="file_path_${number}" spellcheck="false" autocapitalize="off"`,
  },
]

/** Files that a form for a new snippet has. More are added when it is there. */
export const FILES_OF_NEW = 3

/** What a form says of files, as the API takes it. */
export function filesIn(parameters: Parameters): readonly Typed[] {
  return Array.from({ length: FILES_OF_NEW }, (_, index) => fileIn(parameters, index + 1)).filter(
    ({ file_path, content }, index) => index === 0 || file_path !== '' || content !== '',
  )
}

type Parameters = Readonly<Record<string, unknown>>

interface Typed {
  readonly file_path: unknown
  readonly content: unknown
}

/** @param number of the file in the form */
export const fileIn = (parameters: Parameters, number = 1): Typed => {
  const { [`file_path_${number}`]: file_path = '', [`content_${number}`]: content = '' } = parameters
  return { file_path, content }
}

/** Makes of the fields of a form the files that the API takes, and what of the rest it takes. */
export const withFiles =
  (files: (parameters: Parameters) => unknown, action: Action, others: readonly string[] = []): Action =>
  (api, parameters, seen) => {
    const kept = Object.entries(parameters).filter(([name]) => others.includes(name))
    return action(api, { ...Object.fromEntries(kept), files: files(parameters) }, seen)
  }
