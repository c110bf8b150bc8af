import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { folder, forgelet, READY } from '#test/program/forgelet.ts'
import { tree } from '#test/tree.ts'
import { bundlePublished, published, PUBLISHED_BIN, readManifest } from '../../scripts/published.ts'

// The program as the package has it. test/package.deep.test.ts packs it and installs it with npm.

test('the published program serves, below node_modules, where Node.js strips no types', async () => {
  const installed = join(folder(), 'node_modules/forgelet')
  await bundlePublished(join(installed, 'dist'))
  writeFileSync(join(installed, 'package.json'), JSON.stringify(published(readManifest())))
  cpSync(join(tree, 'openapi.json'), join(installed, 'openapi.json'))
  symlinkSync(join(tree, 'node_modules'), join(installed, 'node_modules'))
  const environment = { FORGELET_ROOT_TOKEN: ROOT_TOKEN }
  const program = forgelet(['--ephemeral'], environment, join(installed, PUBLISHED_BIN))
  const root = new Client(await program.saying(READY), { 'private-token': ROOT_TOKEN })
  const { body } = await root.post('/projects', { name: 'first', initialize_with_readme: true })
  expect((await root.get(`/projects/${body.id}/repository/commits`)).body).toHaveLength(1)
  program.process.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})
