import { addCommit } from '#code/git/new-commit.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { readReferences } from '#code/git/references.ts'
import { TreeEditor } from '#code/git/tree-editor.ts'
import { changeReferences } from './change-references.ts'
import type { Repositories } from './repositories.ts'
import type { StoredRepository } from './rows.ts'

/** Files of one commit, by their paths; null removes one. */
export type Files = Readonly<Record<string, string | null>>

let time = Date.UTC(2026, 0, 1)

/** Commits files on a branch, as the program itself. @returns the commit's id */
export async function commitFiles(
  repositories: Repositories,
  repository: StoredRepository,
  files: Files,
  { branch = 'main', message = 'Change files' } = {},
): Promise<string> {
  const ref = `refs/heads/${branch}`
  const before = (await readReferences(repository, [ref])).get(ref)
  const parent = before === undefined ? undefined : await readCommit(repository, before)
  const pack = new PackWriter()
  const editor = new TreeEditor(repository, parent?.tree)
  for (const [path, content] of Object.entries(files)) {
    if (content === null) await editor.remove(path)
    else await editor.put(path, { mode: '100644', id: pack.add('blob', Buffer.from(content)) })
  }
  time += 60_000
  const by = { name: 'Ada', email: 'ada@example.com', time }
  const parents = before === undefined ? [] : [before]
  const after = addCommit(pack, { tree: editor.write(pack), parents, author: by, committer: by, message })
  await using quarantine = await Quarantine.open(repository)
  await quarantine.add(pack)
  const [outcome] = await changeReferences(repositories, repository, {
    changes: [{ ref, before: before ?? NO_OBJECT, after }],
    by: { author: null, ip: null },
    changer: null,
    cause: 'test',
    quarantine,
  })
  if (outcome?.refused !== undefined) throw new Error(outcome.refused.text)
  return after
}
