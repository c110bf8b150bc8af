import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { findBinaries } from '#platform/db/embedded/binaries.ts'
import { type Template, TEMPLATE_PREFIX } from '#platform/db/embedded/index.ts'
import { MIGRATIONS } from '#platform/db/migration-files.ts'
import type { Log } from '#platform/context.ts'

/**
 * The cluster that first starts copy. It is beside the compiled code, where that is kept: nobody else may write there.
 * Its name follows from the
 * version of PostgreSQL and the migrations.
 */
export function clusterTemplate(log: Log): Template | undefined {
  const compiled = getCompileCacheDir()
  if (compiled === undefined) return undefined
  return {
    folder: join(dirname(compiled), `${TEMPLATE_PREFIX}${digest()}`),
    prepare: async (address) => {
      const { migrateAll } = await import('#platform/migrate-all.ts')
      await migrateAll(address, log)
    },
  }
}

function digest(): string {
  const hash = createHash('sha256').update(findBinaries().major)
  for (const file of readdirSync(MIGRATIONS).toSorted())
    hash.update(file).update(readFileSync(new URL(file, MIGRATIONS)))
  return hash.digest('hex').slice(0, 12)
}
