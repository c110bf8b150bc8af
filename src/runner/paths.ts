import { lstat, mkdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'

/** The path of something in a folder, relative to it; undefined for what is elsewhere. */
export function inside(folder: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined
  const found = relative(folder, resolve(folder, path))
  return found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found) ? undefined : normalize(found)
}

/** Whether something is in a folder, wherever links on the way to it lead. */
export async function isReallyInside(folder: string, path: string): Promise<boolean> {
  const whole = resolve(folder, path)
  if (whole === resolve(folder)) return true
  const parent = resolve(whole, '..')
  try {
    return inside(await realpath(folder), await realpath(parent)) !== undefined
  } catch {
    return false
  }
}

/**
 * Makes the folders of a path below another one.
 * @throws for a path with a link or a file in the place of a folder
 */
export async function makeFolders(root: string, path: string): Promise<void> {
  let at = root
  for (const name of path.split(sep).filter((part) => part !== '' && part !== '.')) {
    at = join(at, name)
    const found = await lstat(at).catch(() => undefined)
    if (found === undefined) await mkdir(at, { mode: 0o755 })
    else if (!found.isDirectory()) throw new Error(`${at} is in the place of a folder`)
  }
}
