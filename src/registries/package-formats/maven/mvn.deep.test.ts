import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { withRunningJob } from '#ci/job-tokens/test-support.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { deployToken } from '../../packages/test-support.ts'

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
/** What Maven needs to build anything, fetched the first time. Each test begins with a copy. */
const plugins = join(cache, 'forgelet-tools', 'maven-plugins-1')
const has = await findMaven()

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-maven-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function findMaven(): Promise<boolean> {
  if (['mvn', 'javac'].some((program) => spawnSync(program, ['-version']).status !== 0)) {
    console.log('skipped: maven and a JDK are not installed')
    return false
  }
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-maven-'))
  try {
    await writeProject(folder, { version: '1.0' })
    const words = ['-B', '-q', `-Dmaven.repo.local=${plugins}`, '-Dmaven.install.skip=true', 'deploy']
    const to = `-DaltDeploymentRepository=local::default::file:${folder}/repository`
    await promisify(execFile)('mvn', [...words, to], { cwd: folder, timeout: 600_000 })
    return true
  } catch {
    console.log('skipped: Maven could not fetch its plugins')
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Written {
  readonly version: string
  /** What the class says. */
  readonly text?: string
  readonly dependency?: string
  readonly repository?: string
  readonly bytes?: number
}

/** Writes a project of one class: of `tool`, or of what uses a version of it. */
async function writeProject(
  folder: string,
  { version, text = version, dependency, repository, bytes }: Written,
): Promise<void> {
  const sources = join(folder, 'src/main/java')
  await mkdir(sources, { recursive: true })
  const repositoryXml = `<id>forgelet</id><url>${repository}</url>`
  const depends = `<dependencies><dependency><groupId>com.example</groupId><artifactId>tool</artifactId>
    <version>${dependency}</version></dependency></dependencies>
    <repositories><repository>${repositoryXml}</repository></repositories>`
  const publishes = `<distributionManagement><repository>${repositoryXml}</repository>
    <snapshotRepository>${repositoryXml}</snapshotRepository></distributionManagement>`
  await writeFile(
    join(folder, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
    <groupId>com.example</groupId><artifactId>${dependency === undefined ? 'tool' : 'user'}</artifactId>
    <version>${version}</version>
    <properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
    ${dependency === undefined ? (repository === undefined ? '' : publishes) : depends}</project>`,
  )
  const [name, body] =
    dependency === undefined
      ? ['Tool', `public static String text() { return "${text}"; }`]
      : ['User', 'public static void main(String[] words) { System.out.print(Tool.text()); }']
  await writeFile(join(sources, `${name}.java`), `public class ${name} { ${body} }`)
  if (bytes === undefined) return
  await mkdir(join(folder, 'src/main/resources'))
  const noise = spawnSync('head', ['-c', String(bytes), '/dev/urandom'], { maxBuffer: bytes + 1 }).stdout
  await writeFile(join(folder, 'src/main/resources/noise'), noise)
}

type Credential = { readonly username: string; readonly password: string } | Readonly<Record<string, string>>

function settingsOf(credential: Credential): string {
  const { username, password, ...headers } = credential
  const properties = Object.entries(headers).map(
    ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`,
  )
  const basic =
    username === undefined ? '' : `<username>${username}</username><password>${password}</password>`
  return `<settings><servers><server><id>forgelet</id>${basic}
    <configuration><httpHeaders>${properties.join('')}</httpHeaders></configuration></server></servers></settings>`
}

const asPerson = ({ token }: { readonly token: string }): Credential => ({ 'Private-Token': token })
const repositoryOf = ({ id }: { readonly id: number }, kind = 'projects') =>
  `${w.url}/api/v4/${kind}/${id}/${kind === 'groups' ? '-/' : ''}packages/maven`

/** A project in a folder, with a local repository that has nothing but plugins. */
async function prepared(credential: Credential, written: Written) {
  const folder = await emptyFolder()
  await writeProject(folder, written)
  await writeFile(join(folder, 'settings.xml'), settingsOf(credential))
  const local = join(folder, 'local')
  await cp(plugins, local, { recursive: true })
  return {
    folder,
    local,
    words: ['-B', '-s', 'settings.xml', `-Dmaven.repo.local=${local}`, '-Dmaven.test.skip=true'],
  }
}

/** For programs that run for seconds. */
const env = { ...process.env, MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' }

async function mvn({ folder, words }: Awaited<ReturnType<typeof prepared>>, goal: string) {
  try {
    const { stdout } = await promisify(execFile)('mvn', [...words, goal], {
      cwd: folder,
      env,
      timeout: 300_000,
    })
    return { code: 0, said: stdout }
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string }
    return { code, said: stdout }
  }
}

async function deploy(credential: Credential, repository: string, written: Written) {
  return mvn(await prepared(credential, { ...written, repository }), 'deploy')
}

/** Builds what uses a version, and runs it. @returns what that says */
async function use(credential: Credential, repository: string, dependency: string) {
  const project = await prepared(credential, { version: '1', dependency, repository })
  const { code, said } = await mvn(project, 'compile')
  if (code !== 0) return { code, said }
  const { stdout: jar } = await promisify(execFile)('find', [
    join(project.local, 'com/example/tool', dependency),
    '-name',
    `tool-${dependency}.jar`,
  ])
  const path = `${join(project.folder, 'target/classes')}:${jar.trim()}`
  const { stdout } = await promisify(execFile)('java', ['-cp', path, 'User'])
  return { code, said: stdout }
}

test.skipIf(!has)(
  'a release is deployed, and resolved by another project',
  { timeout: 600_000 },
  async () => {
    const p = await w.project()
    const repository = repositoryOf(p)
    expect(await deploy(asPerson(p.developer), repository, { version: '1.0' })).toMatchObject({ code: 0 })
    expect(await use(asPerson(p.reporter), repository, '1.0')).toEqual({ code: 0, said: '1.0' })
    expect(await deploy(asPerson(p.developer), repository, { version: '1.1' })).toMatchObject({ code: 0 })
    const metadata = await p.reporter.get(`${repository}/com/example/tool/maven-metadata.xml`)
    expect([...metadata.text.matchAll(/<version>(.+?)</g)].map(([, version]) => version)).toEqual([
      '1.0',
      '1.1',
    ])
    const unknown = await use({ 'Private-Token': 'wrong' }, repository, '1.0')
    expect([unknown.code, unknown.said]).toEqual([1, expect.stringContaining('401')])
  },
)

test.skipIf(!has)('of a snapshot, the newest build is resolved', { timeout: 600_000 }, async () => {
  const p = await w.project()
  const repository = repositoryOf(p)
  const version = '2.0-SNAPSHOT'
  for (const text of ['first', 'second']) {
    expect(await deploy(asPerson(p.developer), repository, { version, text })).toMatchObject({ code: 0 })
    expect(await use(asPerson(p.reporter), repository, version)).toEqual({ code: 0, said: text })
  }
})

test.skipIf(!has)(
  'what exists is refused where a group says so, and can be deleted',
  { timeout: 600_000 },
  async () => {
    const g = await w.group()
    const p = await w.project({ parent: g.id })
    const rule = { maven_duplicates_allowed: false }
    expect((await g.maintainer.put(`/groups/${g.id}/packages/settings`, rule)).status).toBe(200)
    const me = asPerson(w.root)
    const repository = repositoryOf(p)
    expect((await deploy(me, repository, { version: '1.0' })).code).toBe(0)
    const again = await deploy(me, repository, { version: '1.0', text: 'other' })
    expect([again.code, again.said]).toEqual([1, expect.stringContaining('400')])
    expect(await use(me, repository, '1.0')).toEqual({ code: 0, said: '1.0' })
    const [{ id }] = (await w.root.get(`/projects/${p.id}/packages?package_type=maven`)).body
    expect((await w.root.delete(`/projects/${p.id}/packages/${id}`)).status).toBe(204)
    expect((await w.root.get(`${repository}/com/example/tool/1.0/tool-1.0.jar`)).status).toBe(404)
    expect((await deploy(me, repository, { version: '1.0', text: 'other' })).code).toBe(0)
    expect(await use(me, repository, '1.0')).toEqual({ code: 0, said: 'other' })
  },
)

test.skipIf(!has)('deploy tokens and jobs each with their credential', { timeout: 600_000 }, async () => {
  const g = await w.group()
  const p = await withRunningJob({ parent: g.id })
  const { username, token } = await deployToken(p, 'project', 'write_package_registry')
  const reader = await deployToken(g, 'group', 'read_package_registry')
  const writers: Credential[] = [
    { username, password: token },
    { 'Job-Token': p.token },
    { username: 'me', password: p.developer.token },
  ]
  for (const [minor, credential] of writers.entries())
    expect(await deploy(credential, repositoryOf(p), { version: `1.${minor}` })).toMatchObject({ code: 0 })
  const reading = { 'Deploy-Token': reader.token }
  const refused = await deploy(reading, repositoryOf(p), { version: '2.0' })
  expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('403')])
  expect(await use(reading, repositoryOf(g, 'groups'), '1.0')).toEqual({ code: 0, said: '1.0' })
  expect(await use({ 'Job-Token': p.token }, repositoryOf(g, 'groups'), '1.2')).toEqual({
    code: 0,
    said: '1.2',
  })
})

test.skipIf(!has)(
  'a killed deploy leaves no file, and the next one succeeds',
  { timeout: 600_000 },
  async () => {
    const p = await w.project()
    const repository = repositoryOf(p)
    const large = await prepared(asPerson(p.developer), { version: '1.0', bytes: 150_000_000, repository })
    const maven = spawn('mvn', [...large.words, 'deploy'], { cwd: large.folder, stdio: 'ignore' })
    const uploads = () =>
      w.db.selectFrom('file_leftovers').select('key').where('state', '=', 'uploading').execute()
    await until(async () => expect(await uploads()).not.toEqual([]))
    maven.kill('SIGKILL')
    await once(maven, 'exit')
    await until(async () => expect(await uploads()).toEqual([]))
    expect((await p.developer.get(`/projects/${p.id}/packages`)).body).toEqual([])
    expect((await mvn(large, 'deploy')).code).toBe(0)
    expect(await use(asPerson(p.reporter), repository, '1.0')).toEqual({ code: 0, said: '1.0' })
  },
)
