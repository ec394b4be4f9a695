#[inference_stage("execute")]
#[track_caller]
fn execute(&mut self, index: usize) -> Option<&mut Logits> {
    self.slots.get_mut(index)
}
