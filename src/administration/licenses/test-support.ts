import { openWorld, type World } from '#test/world.ts'
import type { LicenseTerms } from './license-string.ts'
import { until } from '#test/until.ts'

/** What this is for: licenses count for a whole instance, so their tests have one of their own. */
export interface LicenseWorld {
  readonly w: World
  /** Adds a license as an administrator does. @returns it. */
  readonly add: (terms?: Partial<LicenseTerms>) => Promise<Record<string, unknown> & { readonly id: number }>
  /** Takes away all licenses and counts. */
  readonly clear: () => Promise<void>
  /** The number kept for a day, once a job has counted. */
  readonly counted: (day: string, users?: number) => Promise<number>
}

export async function openLicenseWorld(): Promise<LicenseWorld> {
  const w = await openWorld()
  const countOf = async (day: string) => {
    const row = await w.db
      .selectFrom('billable_user_counts')
      .select('everybody')
      .where('day', '=', day)
      .executeTakeFirst()
    return row?.everybody
  }
  return {
    w,
    async add(terms = {}) {
      const { status, body } = await w.root.post('/license', { license: await w.licenseString(terms) })
      if (status !== 201) throw new Error(`the license was refused: ${JSON.stringify(body)}`)
      return body
    },
    async clear() {
      for (const { id } of (await w.root.get('/licenses?per_page=100')).body) {
        await w.root.delete(`/license/${id}`)
      }
      await w.db.deleteFrom('billable_user_counts').execute()
    },
    counted: (day, users) =>
      until(async () => {
        const count = await countOf(day)
        if (count === undefined || (users !== undefined && count !== users))
          throw new Error(`not counted yet: ${count}`)
        return count
      }),
  }
}
