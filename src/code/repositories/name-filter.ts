import { RE2JS } from 're2js'
import { Type } from 'typebox'
import { invalidParameters } from '#platform/http/errors.ts'
import { text } from '#platform/http/schema.ts'

export const search = Type.Optional(
  text({ description: 'Part of the name; `^a` for its beginning, `a$` for its end, `^a$` for all of it.' }),
)
export const regex = Type.Optional(
  text({ description: 'A regular expression that matches part of the name, in the syntax of RE2.' }),
)

/** Whether a name is one that a request asks for. @throws 400 for what is no regular expression */
export function nameFilter(asked: {
  readonly search?: string
  readonly regex?: string
}): (name: string) => boolean {
  const { search = '', regex = '' } = asked
  const pattern = regex === '' ? undefined : compiled(regex)
  const found = searched(search.toLowerCase())
  return (name) => found(name.toLowerCase()) && (pattern === undefined || pattern.matcher(name).find())
}

function searched(term: string): (name: string) => boolean {
  const [, begin, part = '', end] = /^(\^?)(.*?)(\$?)$/s.exec(term) ?? []
  if (begin && end) return (name) => name === part
  if (begin) return (name) => name.startsWith(part)
  if (end) return (name) => name.endsWith(part)
  return (name) => name.includes(part)
}

/** RE2 takes time that grows with the text alone, whatever the expression. */
function compiled(regex: string): RE2JS {
  try {
    return RE2JS.compile(regex)
  } catch {
    throw invalidParameters([{ name: 'regex', text: 'is invalid', missing: false }])
  }
}
