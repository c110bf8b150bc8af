import { Type } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'

// Servers of the Model Context Protocol read notes with strict schemas: what is optional there may be missing, and must
// not be null. These schemas say what such a reader takes.

const word = Type.Union([Type.String(), Type.Null()])
const line = Type.Union([Type.Integer(), Type.Null()])
const end = Type.Object({ line_code: word, type: word, old_line: line, new_line: line })
const User = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  name: Type.String(),
  avatar_url: word,
  web_url: Type.String(),
})

const StrictNote = Type.Object({
  id: Type.Integer(),
  type: Type.Union([
    Type.Literal('DiscussionNote'),
    Type.Literal('DiffNote'),
    Type.Literal('Note'),
    Type.Null(),
  ]),
  body: Type.String(),
  author: User,
  created_at: Type.String(),
  updated_at: Type.String(),
  system: Type.Boolean(),
  noteable_type: Type.String(),
  noteable_iid: line,
  project_id: Type.Optional(Type.Integer()),
  resolvable: Type.Optional(Type.Boolean()),
  resolved: Type.Optional(Type.Boolean()),
  resolved_by: Type.Optional(Type.Union([User, Type.Null()])),
  resolved_at: Type.Optional(word),
  position: Type.Optional(
    Type.Object({
      base_sha: Type.String(),
      start_sha: Type.String(),
      head_sha: Type.String(),
      old_path: Type.String(),
      new_path: Type.String(),
      position_type: Type.Union([Type.Literal('text'), Type.Literal('image'), Type.Literal('file')]),
      old_line: line,
      new_line: line,
      line_range: Type.Union([Type.Object({ start: end, end }), Type.Null()]),
    }),
  ),
})

const StrictDiscussion = Type.Object({
  id: Type.String(),
  individual_note: Type.Boolean(),
  notes: Type.Array(StrictNote),
})

const StrictVersion = Type.Object({
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: Type.String(),
  start_commit_sha: Type.String(),
  created_at: Type.String(),
  merge_request_id: Type.Integer(),
  state: Type.String(),
  real_size: Type.String(),
})

test('strict readers take every note and version of a merge request, and the notes on an issue', async () => {
  const project = await branchedProject()
  const { path, body: opened } = await openMergeRequest(project, project.developer)
  const [file] = (await project.developer.get(`${path}/diffs`)).body
  const position = { ...opened.diff_refs, position_type: 'file', new_path: file.new_path }
  const ofProject = `/projects/${project.id}`
  await project.developer.post(`${ofProject}/issues`, { title: 'Read me' })
  await project.developer.post(`${ofProject}/issues/1/notes`, { body: 'alone' })
  await project.developer.put(`${ofProject}/issues/1`, { title: 'Read me again' })
  await project.developer.post(`${path}/notes`, { body: 'alone' })
  await project.developer.post(`${path}/discussions`, { body: 'a thread' })
  await project.developer.post(`${path}/discussions`, { body: 'on a file', position })

  const seen = async (
    schema: typeof StrictDiscussion | typeof StrictNote | typeof StrictVersion,
    at: string,
  ) => {
    const { body } = await project.developer.get(at)
    const list = Type.Array(schema)
    expect({ at, wrong: Check(list, body) ? [] : Errors(list, body)[1] }).toEqual({ at, wrong: [] })
    return body.length
  }
  expect(await seen(StrictNote, `${ofProject}/issues/1/notes`)).toBe(2)
  expect(await seen(StrictDiscussion, `${ofProject}/issues/1/discussions`)).toBe(2)
  expect(await seen(StrictNote, `${path}/notes`)).toBe(3)
  expect(await seen(StrictDiscussion, `${path}/discussions`)).toBe(3)
  expect(await seen(StrictVersion, `${path}/versions`)).toBe(1)
})
