import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { PATH } from '#code/git/processes/environment.ts'

let found: Promise<boolean> | undefined

/** Whether this machine has the program `bzip2`, where git finds programs. */
export function hasBzip2(): Promise<boolean> {
  return (found ??= isAnywhere('bzip2'))
}

async function isAnywhere(program: string): Promise<boolean> {
  for (const folder of PATH.split(':')) {
    try {
      await access(join(folder, program), constants.X_OK)
      return true
    } catch {
      // It may be in another folder.
    }
  }
  return false
}
