import type { FastifyRequest } from 'fastify'
import { admin, anyone, project, reads, writes } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import {
  ByFile,
  ByFileInProject,
  BySnippetId,
  InProject,
  NewPersonalSnippet,
  NewSnippet,
} from './parameters.ts'
import { personalPlace, placeInProject } from './place.ts'

/** The snippets of persons: how their routes differ from those of projects. */
export const personal = {
  collection: '/snippets',
  one: '/snippets/:id',
  title: 'a snippet of a person',
  of: 'of your own',
  params: BySnippetId,
  collectionParams: undefined,
  byFile: ByFile,
  New: NewPersonalSnippet,
  reading: reads(anyone, { anonymous: true }),
  creating: writes(anyone),
  changing: writes(anyone),
  inspecting: reads(admin),
  place: ({ viewer, server }: FastifyRequest) => personalPlace(viewer, server.db),
  idOf: (req: FastifyRequest) => numberIn(req, 'id'),
} as const

/** The snippets of a project. */
export const inProject = {
  collection: '/projects/:id/snippets',
  one: '/projects/:id/snippets/:snippet_id',
  title: 'a snippet of a project',
  of: 'in a project',
  params: InProject,
  collectionParams: ById,
  byFile: ByFileInProject,
  New: NewSnippet,
  reading: reads(project('read_snippet'), { anonymous: true }),
  creating: writes(project('create_snippet')),
  changing: writes(project('create_snippet')),
  inspecting: reads(project('read_snippet_user_agent')),
  place: placeInProject,
  idOf: (req: FastifyRequest) => numberIn(req, 'snippet_id'),
} as const

export type SnippetsOf = typeof personal | typeof inProject

function numberIn({ params }: FastifyRequest, name: string): number {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
  if (typeof value !== 'number') throw new Error(`The path has no parameter ${name}`)
  return value
}
