// Writes the files that are made from others, or with --verify fails when a checked-in one is not up to date.
//   src/platform/db/schema.ts       the types of all tables, from a database with all migrations
//   docs/architecture.md             the map of the districts in it, from the imports in src
//   docs/guides                      the files that they show: blocks below <!-- shown: FILE -->
//   packaging/compose/nginx.conf     from packaging/proxies/nginx.conf
//   docs/configuration.md            the page about the environment, from src/platform/config/variables.ts
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '#platform/config/variables.ts'
import { startEmbedded } from '#platform/db/embedded/index.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { temporaryFolder } from '#platform/temporary-folder.ts'
import { diagram } from './districts.ts'
import { composeNginx, withShownFiles } from './shown-files.ts'

const root = join(import.meta.dirname, '..')
const verify = process.argv.includes('--verify')
const stale: string[] = []

function configurationPage(): string {
  const rows = Object.values(variables).map((variable) => {
    const { name, about, accepts, fallback } = variable
    const also = 'secret' in variable ? ` Also \`${name}_FILE\`: a file that holds it.` : ''
    return `| \`${name}\` | ${about}${also} | ${accepts} | ${fallback === undefined || fallback === '' ? '–' : `\`${fallback}\``} |`
  })
  return `# Configuration

<!-- Made from src/platform/config/variables.ts by \`npm run generate\`; edit that file. -->

The environment decides the infrastructure; policies are application settings, which administrators change while the
server runs. A name that begins with \`FORGELET_\` and is not in this table, or a value that is not accepted, stops the
start with exit code 2 and a line that says what is accepted.

| Variable | What it is | Accepts | Unless set |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

const pagesBelow = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

function write(path: string, text: string): void {
  const file = join(root, path)
  if (!verify) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) stale.push(path)
}

/** The architecture page with its map made anew. */
function architecturePage(): string {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const map =
    /(<!-- Made from the imports in src by `npm run generate`\. -->\n)[^]*?(<!-- End of the map\. -->)/
  return text.replace(map, (_, begin: string, end: string) => `${begin}\n${diagram()}\n\n${end}`)
}

async function schema(): Promise<void> {
  const log = { info() {}, warn() {}, error: console.error }
  await using folder = await temporaryFolder()
  const database = await startEmbedded({ dataDir: folder.path, ephemeral: true, log })
  try {
    const pool = openPool(database.connection, 1)
    await migrate(pool)
    await pool.end()
    const { port, database: name, ...rest } = database.connection
    const where = new URLSearchParams({ ...rest, port: String(port) }).toString()
    const codegen = join(root, 'node_modules/kysely-codegen/dist/cli/bin.js')
    const options = ['--config-file', join(root, 'kysely-codegen.json'), '--log-level', 'error']
    execFileSync(process.execPath, [codegen, ...options, ...(verify ? ['--verify'] : [])], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: `postgres:///${name}?${where}` },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (error) {
    if (!verify) throw error
    stale.push('src/platform/db/schema.ts')
  } finally {
    await database.stop()
  }
}

write('docs/configuration.md', configurationPage())
for (const page of pagesBelow('docs/guides')) {
  const text = readFileSync(join(root, page), 'utf8')
  if (text.includes('<!-- shown: ')) write(page, withShownFiles(text))
}
write('packaging/compose/nginx.conf', composeNginx())
write('docs/architecture.md', architecturePage())
await schema()
if (stale.length > 0) console.error(`Not up to date: ${stale.join(', ')}. Run npm run generate.`)
process.exit(stale.length > 0 ? 1 : 0)
