// Writes openapi.json, whose differences show what changes in the API, and the page about settings from what the server
// declares; with --verify only says whether they are up to date. The server itself serves what its build made.
import { readFile, writeFile } from 'node:fs/promises'
import { apiAsText } from './describe-api.ts'
import { settingsPage } from './settings-page.ts'

const made = {
  'openapi.json': await apiAsText(),
  'docs/settings.md': settingsPage(),
}

for (const [path, text] of Object.entries(made)) {
  const file = new URL(`../${path}`, import.meta.url)
  if (!process.argv.includes('--verify')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is out of date: run \`npm run openapi\` and commit what it writes.`)
    process.exitCode = 1
  }
}
