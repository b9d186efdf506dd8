import { useWebConfig } from '../../api/catalogue.ts'

/** The text of the Pro plan's button. It offers a trial only while the server grants it. */
export function useTrialButton(): string {
  const { pro_trial_days } = useWebConfig()
  return pro_trial_days > 0 ? `Start ${pro_trial_days}-Day Free Trial` : 'Get Pro'
}
