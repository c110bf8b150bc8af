// Makes docs/images/project.png, which README.md shows: a page of a project, on a server that is made for it.
import { mkdir } from 'node:fs/promises'
import { chromium } from 'playwright-core'
import { startForgelet } from '../src/testing.ts'

const { url, rootToken, stop } = await startForgelet()

async function api(path: string, body: object): Promise<{ readonly id: number }> {
  const answer = await fetch(`${url}/api/v4${path}`, {
    method: 'POST',
    headers: { 'private-token': rootToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} from ${path}: ${text}`)
  const made: { readonly id: number } = JSON.parse(text)
  return made
}

const readme = `# Lighthouse

Watches lamps along the coast, and says when one goes dark. See #1 for what comes next.

\`\`\`sh
npm install lighthouse
\`\`\`

- [x] lamps on a map
- [ ] a message when one goes dark
`
const project = '/projects/coast%2Flighthouse'
const { id } = await api('/groups', { name: 'coast', path: 'coast', visibility: 'public' })
await api('/projects', {
  name: 'lighthouse',
  namespace_id: id,
  visibility: 'public',
  description: 'Lamps along the coast',
  topics: ['monitoring', 'sea'],
})
const files = {
  'README.md': readme,
  'package.json': '{}\n',
  'src/lamp.ts': 'export {}\n',
  'docs/map.md': '# Map\n',
  '.gitlab-ci.yml': 'test:\n  script: npm test\n',
}
const actions = Object.entries(files).map(([file_path, content]) => ({
  action: 'create',
  file_path,
  content,
}))
await api(`${project}/repository/commits`, { branch: 'main', commit_message: 'Show lamps on a map', actions })
await api(`${project}/issues`, { title: 'Tell people when a lamp goes dark', labels: 'next' })

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
const page = await browser.newPage({ viewport: { width: 1_100, height: 760 } })
await page.goto(`${url}/coast/lighthouse`)
await mkdir(new URL('../docs/images', import.meta.url), { recursive: true })
await page.screenshot({ path: new URL('../docs/images/project.png', import.meta.url).pathname })
await browser.close()
await stop()
