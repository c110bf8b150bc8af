import { w } from '../../test/world.ts'

/** Runs `work` while nobody but these is an administrator; other tests of the worker leave theirs behind. */
export async function withAdministrators(ids: readonly number[], work: () => Promise<void>): Promise<void> {
  const all = await w.db.selectFrom('users').select('id').where('admin', '=', true).execute()
  const set = (admin: boolean, of: readonly number[]) =>
    w.db
      .updateTable('users')
      .set({ admin })
      .where('id', 'in', [0, ...of])
      .execute()
  const others = all.map(({ id }) => id).filter((id) => !ids.includes(id))
  await set(false, others)
  try {
    await work()
  } finally {
    await set(true, others)
  }
}
