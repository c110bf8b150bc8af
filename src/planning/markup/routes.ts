import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import { anyone, reads } from '#platform/access/route-access.ts'
import { uploadsOfPlace } from '#planning/uploads/addresses.ts'
import { RenderedText } from './entity.ts'
import { MarkdownText } from './parameters.ts'
import { markupReader } from './reader.ts'
import { asWritten, renderMarkdown } from './render-markdown.ts'
import { renderTexts } from './render-texts.ts'

/** Characters that are rendered for anonymous callers: what they send takes time of all others, and nobody knows who they are. */
const MAX_ANONYMOUS = 10_000

/** Renders texts that are stored nowhere: for previews. */
export const markupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/markdown',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'Render Markdown as HTML',
        description: 'References lead to what you may see; all others stay text.',
        body: MarkdownText,
        response: { 201: RenderedText },
      },
    },
    async (req) => {
      const { text, gfm, project } = req.body
      const path =
        project === undefined
          ? undefined
          : (await authorizeNamedProject(app.db, req.viewer, project, 'read_project')).container.full_path
      if (req.viewer.id === null && text.length > MAX_ANONYMOUS) return { html: asWritten(text) }
      const [html = ''] = gfm
        ? await renderTexts(markupReader(req), [text], { path })
        : [await renderMarkdown(text, path === undefined ? {} : { uploads: uploadsOfPlace('project', path) })]
      return { html }
    },
  )
}
