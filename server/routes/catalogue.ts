import { getWebConfig } from '../../schema/api/catalogue.ts'
import { everybody } from '../rights.ts'
import { route } from '../route.ts'
import { webConfigOf } from '../web-config.ts'

export const catalogueRoutes = [
  route(getWebConfig, {
    rights: everybody,
  }).handle((_request, { settings }) => webConfigOf(settings)),
]
