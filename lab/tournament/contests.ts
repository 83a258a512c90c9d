import { API_CONTESTS } from './api-contests.ts'
import type { Contest } from './scenario.ts'
import { SHOP_CONTESTS } from './shop-contests.ts'

/** The tournament's scenarios. */
export const CONTESTS: readonly Contest[] = [...SHOP_CONTESTS, ...API_CONTESTS]
