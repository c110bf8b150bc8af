import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releaseScript, wantedRelease } from './release.ts'
import { runScript } from './run-script.ts'
import { temporaryFolder } from './test-support.ts'

const { PATH = '' } = process.env

async function wantedOf(line: string, files: Readonly<Record<string, string>> = {}) {
  await using home = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(home.path, name), text)
  const [file, words] = [join(home.path, 'script'), join(home.path, 'words')]
  await writeFile(file, releaseScript([line], words))
  const environment = { PATH, HOME: home.path, TAG: 'v1' }
  const signal = new AbortController().signal
  const code = await runScript({ file, folder: home.path, environment, signal, write: async () => {} })
  expect(code).toBe(0)
  return await wantedRelease(words, home.path)
}

test('a release is what the words of its step say, with variables', async () => {
  const link = JSON.stringify({ name: 'tool', url: 'https://example.org/tool' })
  expect(
    await wantedOf(
      `release-cli create --description "The \\"first\\"\nof many" --tag-name "$TAG" --milestone "1.0" --assets-link '${link}'`,
    ),
  ).toEqual({
    description: 'The "first"\nof many',
    tag_name: 'v1',
    milestones: ['1.0'],
    assets: { links: [JSON.parse(link)] },
  })
  expect(await wantedOf('release-cli create --tag-name=v2')).toEqual({ tag_name: 'v2' })
  expect(await wantedOf('echo nothing')).toBeUndefined()
})

test('the description may be in a file of the job', async () => {
  const files = { 'notes.md': '# New\n' }
  const described = async (text: string) =>
    await wantedOf(`release-cli create --tag-name v1 --description "${text}"`, files)
  expect(await described('notes.md')).toEqual({ tag_name: 'v1', description: '# New\n' })
  for (const text of ['other.md', '../notes.md', '/etc/passwd', '.'])
    expect(await described(text)).toEqual({ tag_name: 'v1', description: text })
})

test('words that mean nothing make no release', async () => {
  await expect(wantedOf('release-cli get --tag-name v1')).rejects.toThrow('get is not known')
  await expect(wantedOf('release-cli create --what x')).rejects.toThrow('--what is not known')
  await expect(wantedOf('release-cli create --name')).rejects.toThrow('lacks its value')
})
