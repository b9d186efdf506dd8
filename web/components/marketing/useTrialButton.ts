import { useWebConfig } from '../../api/catalogue.ts'

/** What the button of the Pro plan says. It promises a trial only as long as the server grants it. */
export function useTrialButton(): string {
  const { pro_trial_days } = useWebConfig()
  return pro_trial_days > 0 ? `Start ${pro_trial_days}-Day Free Trial` : 'Get Pro'
}
