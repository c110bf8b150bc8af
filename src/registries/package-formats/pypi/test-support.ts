import type { Client } from '#test/client.ts'

/** A source archive as twine sends it: the server looks at its name, and never into it. */
export interface PythonUpload {
  readonly name?: string
  readonly version?: string
  readonly file?: string
  readonly content?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** The body of an upload. */
export function pythonUpload({
  name = 'My.Tool',
  version = '1.0',
  file = `my_tool-${version}.tar.gz`,
  content = 'hello world',
  fields = {},
}: PythonUpload = {}): FormData {
  const form = new FormData()
  const all = { ':action': 'file_upload', protocol_version: '1', metadata_version: '2.1', filetype: 'sdist' }
  for (const [key, value] of Object.entries({ ...all, name, version, ...fields })) form.append(key, value)
  form.append('content', new Blob([content]), file)
  return form
}

export const pypi = ({ id }: { readonly id: number }): string => `/projects/${id}/packages/pypi`

/** Publishes a Python package as twine does. */
export const publishPython = (client: Client, project: { readonly id: number }, upload?: PythonUpload) =>
  client.send('POST', pypi(project), { form: pythonUpload(upload) })
