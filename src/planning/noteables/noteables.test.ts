import { expect, expectTypeOf, test } from 'vitest'
import { discussionsPath, noteables, type NoteableKind, type NoteableType, notesPath } from './noteables.ts'

const kinds = Object.keys(noteables) as NoteableKind[]

test('notes are where the specification has them', () => {
  expect(kinds.map(notesPath)).toEqual([
    '/projects/:id/issues/:issue_iid/notes',
    '/projects/:id/snippets/:snippet_id/notes',
    '/projects/:id/merge_requests/:merge_request_iid/notes',
    '/groups/:id/epics/:epic_id/notes',
    '/projects/:id/wiki_pages/:wiki_page_meta_id/notes',
  ])
  expectTypeOf(notesPath('epic')).toEqualTypeOf<'/groups/:id/epics/:epic_id/notes'>()
})

test('discussions are beside the notes', () => {
  expect(discussionsPath('issue')).toBe('/projects/:id/issues/:issue_iid/discussions')
  expectTypeOf(discussionsPath('epic')).toEqualTypeOf<'/groups/:id/epics/:epic_id/discussions'>()
})

test('types are those of the wire, each once', () => {
  const types = kinds.map((kind) => noteables[kind].type)
  expect(types).toEqual(['Issue', 'Snippet', 'MergeRequest', 'Epic', 'WikiPage::Meta'])
  expectTypeOf<NoteableType>().toEqualTypeOf<
    'Issue' | 'Snippet' | 'MergeRequest' | 'Epic' | 'WikiPage::Meta'
  >()
})

test('the name of a path parameter says which number it is, and only an iid or an epic has one to show', () => {
  for (const kind of kinds) {
    const { param, by, showsIid } = noteables[kind]
    expect(param).toMatch(new RegExp(`_${by}$`))
    expect(showsIid).toBe(by === 'iid' || kind === 'epic')
  }
})
