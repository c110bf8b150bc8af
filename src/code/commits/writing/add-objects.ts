import { GitFailed } from '#code/git/errors.ts'
import type { PackWriter } from '#code/git/pack-writer.ts'
import type { Quarantine } from '#code/git/quarantine.ts'
import { refusal } from '#platform/refusals.ts'

/** Brings new objects into a quarantine. @throws 400 for what git refuses, such as a path with `.git` in it */
export async function addObjects(quarantine: Quarantine, pack: PackWriter): Promise<void> {
  try {
    await quarantine.add(pack)
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    const [, reason = 'it is damaged'] = /object [0-9a-f]{40}: (.+)/.exec(error.stderr) ?? []
    throw refusal(`Git refuses the commit: ${reason}`)
  }
}
