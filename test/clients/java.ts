import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/**
 * Where the library of a Java program is, and what it needs. Maven fetches them the first time.
 * @param source the folder of the program and its `pom.xml`
 * @returns undefined where they cannot be had
 */
export async function findClassPath(source: string, library: string): Promise<string | undefined> {
  if (['mvn', 'javac'].some((program) => spawnSync(program, ['-version']).status !== 0)) {
    console.log('skipped: maven and a JDK are not installed')
    return undefined
  }
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-class-path-'))
  const file = join(folder, 'class-path')
  try {
    const goal = ['dependency:build-classpath', `-Dmdep.outputFile=${file}`]
    await run('mvn', ['-q', '-B', '-f', join(source, 'pom.xml'), ...goal], { timeout: 120_000 })
    return await readFile(file, 'utf8')
  } catch {
    console.log(`skipped: Maven could not fetch ${library}`)
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
