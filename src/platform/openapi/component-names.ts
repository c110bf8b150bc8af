import type { Answer } from './answers.ts'
import type { Parameter } from './parameters.ts'

/** Where something stands in the document. */
export interface Place {
  readonly path: string
  readonly operationId: string
  readonly tags: readonly string[]
}

/** The names that a component may have, the best one first: who comes later takes the next one. */
type Names = readonly string[]

/** `page`, `note_id`; `ProjectId` for the `id` of a project; after the area where that name means something else. */
export function parameterNames({ path, tags: [area = ''] }: Place, { name, in: where }: Parameter): Names {
  const bare = name.replace('[]', '')
  const own = where === 'path' && bare === 'id' ? `${singular(pascal(segmentBefore(path, name)))}Id` : bare
  return [own, `${area.toLowerCase().replace(/\W+/g, '_')}_${own}`]
}

/** `PostNotesBody`; `PostEpicsNotesBody` where that of epics differs, `PostGroupsIdLabelsBody` where that of groups does. */
export function bodyNames({ path, operationId }: Place): Names {
  const id = operationId.replace('ApiV4', '')
  const method = /^[a-z]+/.exec(id)?.[0] ?? ''
  const fixed = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'))
  const resource = fixed.length > 1 && /^(?:projects|groups)$/.test(fixed[0] ?? '') ? fixed.slice(1) : fixed
  return [resource.at(-1) ?? '', resource.join('_'), id.slice(method.length)].map(
    (name) => `${pascal(method)}${pascal(name)}Body`,
  )
}

/** `Label` and `LabelCreated` for one, `LabelList` and `LabelPage` for several, `NoContent`; none for others. */
export function answerNames(status: string, { headers = {}, content }: Answer): Names {
  const suffix = SUFFIXES[status]
  if (content === undefined) return status === '204' ? ['NoContent'] : status === '304' ? ['Unchanged'] : []
  const [{ schema } = { schema: {} }] = Object.values(content)
  const entity = (schema.$ref ?? schema.items?.$ref)?.split('/').at(-1)
  if (suffix === undefined || entity === undefined) return []
  const several = 'X-Next-Cursor' in headers ? 'KeysetPage' : 'X-Page' in headers ? 'Page' : 'List'
  return [`${entity}${schema.$ref === undefined ? several : ''}${suffix}`]
}

const SUFFIXES: Readonly<Record<string, string>> = { 200: '', 201: 'Created', 202: 'Accepted' }

const segmentBefore = (path: string, name: string): string => {
  const segments = path.split('/')
  return segments[segments.indexOf(`{${name}}`) - 1] ?? ''
}

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.replace(/^./, (first) => first.toUpperCase()))
    .join('')

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '')
