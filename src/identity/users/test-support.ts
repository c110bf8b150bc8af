import { changeSettings } from '#platform/settings/change-settings.ts'
import { w } from '#test/world.ts'

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

/** Runs `work` while these application settings hold. */
export async function withSettings(
  patch: Parameters<typeof changeSettings>[1],
  work: () => Promise<void>,
): Promise<void> {
  const { settings, settingsView } = w.running.services
  const before = new Map<string, unknown>(Object.entries(settings()))
  const change = async (to: typeof patch) => {
    await w.write((tx) => changeSettings(tx, to))
    await settingsView.reload()
  }
  await change(patch)
  try {
    await work()
  } finally {
    await change(Object.fromEntries(Object.keys(patch).map((name) => [name, before.get(name)])))
  }
}
